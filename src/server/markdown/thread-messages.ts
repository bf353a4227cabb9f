/** A document to convert. */
export interface MarkdownTask {
  html: string
  /** The absolute URL of the document. */
  address: string
}

/** The Markdown of the document, or why there is none. */
export type MarkdownResult = { text: string } | { reason: string }
