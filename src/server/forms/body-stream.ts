import type { Readable } from 'node:stream'
import type { HttpError } from '../thrown/http-error.ts'
import type { KeptTexts } from './kept-texts.ts'
import { createMalformed, type FormLimits } from './limits.ts'

/** Calls `onCut` with an HttpError if a body ends before it is complete. */
export function whenCutShort(payload: Readable, onCut: (error: Error) => void) {
  const refuse = () => onCut(createMalformed(new Error('The request ended too early.')))
  const check = () => {
    if (!payload.readableEnded) refuse()
  }
  if (payload.destroyed) check()
  else payload.once('error', refuse).once('close', check)
}

/** The most bytes around the content of each part of a multipart body: its headers and the boundary. */
const PART_BYTES = 1_024

/**
 * Calls `onTooLarge` with each chunk after a refused body has become larger than the texts and files of a form may be
 * together. A text is counted when it is complete. So a body that is larger than any form is refused here.
 */
export function limitTotal(
  payload: Readable,
  limits: FormLimits,
  texts: KeptTexts,
  onTooLarge: (error: HttpError) => void,
) {
  const { bodyLimit, maxFields, maxFiles, maxFileBytes } = limits
  const contentBytes = bodyLimit + maxFiles * maxFileBytes
  const mostBytes = contentBytes + (maxFields + maxFiles) * PART_BYTES
  let total = 0
  payload.on('data', (chunk: Buffer | string) => {
    total += chunk.length
    if (total > mostBytes) texts.refuse('bodyLimit')
    if (total > contentBytes && texts.refusal) onTooLarge(texts.refusal.error)
  })
}
