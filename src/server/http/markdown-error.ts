import { STATUS_CODES } from 'node:http'
import { digestLine, serverSentence } from '../../shared/wire/error-messages.ts'
import type { ServerError } from '../../shared/wire/public-error.ts'

/** Returns an error as a document in Markdown: a refusal with its message, a failure with its digest. */
export function errorMarkdown(shown: ServerError, host: string): string {
  const { status } = shown
  const text = shown.kind === 'refusal' ? escapeText(shown.message) : failureMarkdown(shown.digest, host)
  return `# ${status} ${STATUS_CODES[status] ?? 'Error'}\n\n${text}\n`
}

/** Returns the sentence of a failure and its digest. */
export function failureMarkdown(digest: string, host: string): string {
  return `${serverSentence(host)}\n\n${digestLine(digest)}`
}

function escapeText(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>&#~|]/g, '\\$&')
}
