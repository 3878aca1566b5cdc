//! How long a reply takes to render.

fn main() {
    divan::main();
}
