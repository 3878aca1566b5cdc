//! `:tokenize`.

use crate::repl::Repl;

pub(super) async fn run(repl: &mut Repl, rest: &str) {
    let counting = &repl.conversation.driver.asker.counting;
    let tokens = counting.count(rest).await;
    let method = counting.tokenizer();
    let endpoint = counting.endpoint_counts();
    repl.print_words(&format!("{tokens} tokens ({method}); the endpoint can count: {endpoint}"));
}
