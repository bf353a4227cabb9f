// Checks what a server may send in response to any bytes.

import { CANARY, INJECTED } from './mutate.ts'

const HEADER = /^[\w-]+: [\t\x20-\x7e\x80-\xff]*$/

/** Returns what is wrong with the bytes that a server has sent; null if nothing is. */
export function findFlaw(bytes: string, sent: string): string | null {
  // Responses that the server sent without waiting for the rest of the request.
  if (bytes === '') return null
  let rest = bytes
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    const [, status] = /^HTTP\/1\.1 ([1-5]\d\d) [^\r\n]*\r\n/.exec(rest) ?? []
    if (end === -1 || status === undefined) return `no answer: ${rest.slice(0, 80)}`
    const headers = rest.slice(0, end).split('\r\n').slice(1)
    const malformed = headers.find((line) => !HEADER.test(line))
    if (malformed !== undefined) return `a header that is none: ${malformed}`
    if (headers.some((line) => line.toLowerCase().startsWith(INJECTED))) return 'a header of the request’s'
    if (status.startsWith('5')) return `a status of ${status}`
    const header = (name: string) =>
      headers.find((line) => line.toLowerCase().startsWith(`${name}: `))?.slice(name.length + 2)
    const behind = rest.slice(end + 4)
    const length = bodyLength(Number(status), behind, header, sent)
    if (length === null || length > behind.length) return `a body that is cut: ${rest.slice(0, end)}`
    const body = behind.slice(0, length)
    if (/html/.test(header('content-type') ?? '') && body.includes(CANARY.slice(0, 9))) return 'a tag of the request’s'
    // Node's own responses, for a request without a host or with an odd `Expect`, have no body.
    const isBare = ['400', '417'].includes(status) && header('content-type') === undefined
    if (Number(status) >= 400 && !isBare && !/no-store/.test(header('cache-control') ?? ''))
      return `${status} that may be kept`
    rest = behind.slice(length)
  }
  return null
}

function bodyLength(
  status: number,
  behind: string,
  header: (name: string) => string | undefined,
  sent: string,
): number | null {
  const isBare = status < 200 || status === 204 || status === 304
  // If there are several requests, the response may belong to any of them.
  if (isBare || (/(?:^|\n)HEAD /.test(sent) && (behind === '' || behind.startsWith('HTTP/1.1 ')))) return 0
  const length = header('content-length')
  if (length !== undefined) return Number(length)
  if (header('transfer-encoding') !== 'chunked') return behind.length
  let at = 0
  for (;;) {
    const [line, digits] = /^([\da-f]+)\r\n/i.exec(behind.slice(at, at + 20)) ?? []
    if (line === undefined || digits === undefined) return null
    const size = Number.parseInt(digits, 16)
    at += line.length + size + 2
    if (size === 0) return at
  }
}
