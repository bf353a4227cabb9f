import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'

const LINE_BREAK = 0x0a
/** A longer line is forwarded in parts. It is no log line. */
const MAX_LINE_BYTES = 1_048_576

/** Each forwarder would add listeners of its own to the stream. */
const drains = new WeakMap<Writable, Promise<unknown>>()

function untilDrained(to: Writable): Promise<unknown> {
  const drained =
    drains.get(to) ??
    once(to, 'drain')
      .catch(() => {})
      .finally(() => drains.delete(to))
  drains.set(to, drained)
  return drained
}

/**
 * Forwards whole lines, so that the lines of several processes do not mix. Resolves when `from` has ended.
 *
 * @param writeTo Writes to a stream, as its `write` does (its `write`).
 */
export async function forwardLines(from: Readable, to: Writable, writeTo = writePlainly): Promise<void> {
  let begun: Buffer[] = []
  let length = 0
  async function write(bytes: Buffer) {
    // A stream whose reader is gone never drains.
    if (!writeTo(to, bytes) && to.errored === null && !to.destroyed) await untilDrained(to)
  }
  for await (const chunk of from as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(LINE_BREAK) + 1
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
  // The process died in the middle of a line.
  if (length > 0) await write(Buffer.concat([...begun, Buffer.from('\n')]))
}

function writePlainly(to: Writable, bytes: Buffer): boolean {
  return to.write(bytes)
}
