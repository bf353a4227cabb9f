import type { IncomingMessage, ServerResponse } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { CONSOLE_PATH, type ConsoleText, MAX_CONSOLE_LENGTH } from '../../../src/shared/wire/dev-protocol.ts'
import { isSameOrigin } from './dev-access.ts'

/** Matches the URL of the route, below any base. */
const CONSOLE_URL = new RegExp(`^(?:/[^?]*)?${CONSOLE_PATH}(?:\\?|$)`)
const MAX_BYTES = 65_536

/** Returns the function that receives texts of the consoles of pages. It returns false for other requests. */
export function createConsoleRoute(
  onText: (text: ConsoleText) => void,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    if (!CONSOLE_URL.test(request.url ?? '')) return false
    void receive(request, onText).then((status) => response.writeHead(status, { 'cache-control': 'no-store' }).end())
    return true
  }
}

/** Returns the status of the response. */
async function receive(request: IncomingMessage, onText: (text: ConsoleText) => void): Promise<number> {
  const { method, headers } = request
  if (method !== 'POST') return 405
  if (!isSameOrigin(headers)) return 403
  // A body cannot be longer than its header says. Browsers always send the header.
  if (!(Number(headers['content-length']) <= MAX_BYTES)) return 413
  // The request may be aborted.
  const text = parseConsoleText(await readText(request).catch(() => ''))
  if (text === null) return 400
  onText(text)
  return 204
}

/** Checks every field of a text, as any program can send anything. Returns null for a text that is not valid. */
function parseConsoleText(json: string): ConsoleText | null {
  const { path, message, stack, ownerStack } = toFields(json)
  if (!isField(path) || !isField(message) || !isField(stack) || !isField(ownerStack)) return null
  return { path, message, stack, ownerStack }
}

function isField(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_CONSOLE_LENGTH
}

function toFields(json: string): Partial<Record<keyof ConsoleText, unknown>> {
  try {
    return Object(JSON.parse(json))
  } catch {
    return {}
  }
}
