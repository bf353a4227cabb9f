import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'

const LINE_END = 0x0a
/** What is longer is passed on in parts: it is no line of a log. */
const MAX_LINE_BYTES = 1_048_576

/** Passes on whole lines, so that those of several processes never run into each other. Resolves at the end. */
export async function passLines(from: Readable, to: Writable): Promise<void> {
  let begun: Buffer[] = []
  let length = 0
  async function write(bytes: Buffer) {
    // One that nobody reads any more never drains.
    if (!to.write(bytes) && to.errored === null && !to.destroyed) await once(to, 'drain').catch(() => {})
  }
  for await (const chunk of from as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(LINE_END) + 1
    if (end === 0 && length + chunk.length <= MAX_LINE_BYTES) {
      begun.push(chunk)
      length += chunk.length
      continue
    }
    const whole = end === 0 ? chunk : chunk.subarray(0, end)
    const rest = chunk.subarray(whole.length)
    await write(Buffer.concat([...begun, whole]))
    begun = [rest]
    length = rest.length
  }
  // Of one that died in the middle of it.
  if (length > 0) await write(Buffer.concat([...begun, Buffer.from('\n')]))
}
