// The program of the thread that converts documents to Markdown.

import { parentPort } from 'node:worker_threads'
import { messageOf } from '../util/unknown-values.ts'
import { convertDocument } from './convert.ts'
import type { MarkdownResult, MarkdownTask } from './markdown-converter.ts'

function convert({ html, address }: MarkdownTask): MarkdownResult {
  try {
    return { text: convertDocument(html, address) }
  } catch (error) {
    return { reason: messageOf(error) }
  }
}

parentPort?.on('message', (task: MarkdownTask) => parentPort?.postMessage(convert(task)))
