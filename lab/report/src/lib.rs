//! Stage 7: terminal, JSON, TSV, Markdown and HTML.
