//! The executable from outside, with a real model: `AISH_TEST_GGUF` says where it is.

#[cfg(test)]
mod calls;
#[cfg(test)]
mod confined;
#[cfg(test)]
mod pipes;
#[cfg(test)]
mod session;
