import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendRefusal } from '../http/refusal.ts'
import { createRedactor } from '../redaction/redact.ts'

const TOO_LONG = 414
const MAX_LOGGED = 200

/** Answers 414 to an address that nobody means. */
export function refuseLongUrl(maxUrlBytes: number, request: FastifyRequest, reply: FastifyReply) {
  const { method, headers, originalUrl } = request
  const url = createRedactor(headers)(originalUrl, { maxLength: MAX_LOGGED })
  request.log.info(
    { method, url, statusCode: TOO_LONG },
    `refused with ${TOO_LONG}: a URL of ${originalUrl.length} bytes`,
  )
  sendRefusal(TOO_LONG, `The address is longer than ${maxUrlBytes} bytes (limits.maxUrlBytes).`, request, reply)
}
