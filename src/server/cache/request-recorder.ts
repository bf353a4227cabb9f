import type { FastifyRequest } from 'fastify'
import { publicAddress } from '../http/request-url.ts'
import { createRecorder, type Recording, type Shared } from './recorder.ts'

/** The parts of a request's address that are in the key of its stored response. */
export interface KeptAddress {
  /** The path, and the listed parameters of the query. */
  url: string
  /** The listed parameters of the query. */
  query: Record<string, unknown>
}

const PORT = /:(\d+)$/
/** If an id and a header share this many characters in a row, the id comes from the header. */
const MIN_PART_LENGTH = 8

/**
 * Creates a recorder for a request. Its URL, query and host are those in the key of the stored response, so a visitor
 * cannot put another URL into a stored response.
 */
export function recordRequest(request: FastifyRequest, { url, query }: KeptAddress, recording: Recording) {
  const { origin } = publicAddress(request)
  const host = origin.slice(origin.indexOf('//') + 2)
  const port = PORT.exec(host)
  let headers: FastifyRequest['headers'] | null = null

  function shared(property: PropertyKey): Shared | null {
    switch (property) {
      case 'params':
      case 'method':
      case 'server':
      case 'signal':
      case 'is404':
        return { value: request[property] }
      case 'url':
      case 'originalUrl':
        return { value: url }
      case 'query':
        return { value: query }
      case 'protocol':
        return { value: origin.slice(0, origin.indexOf(':')) }
      case 'host':
        return { value: host }
      case 'hostname':
        return { value: host.replace(PORT, '') }
      case 'port':
        return { value: port ? Number(port[1]) : null }
      case 'headers':
        headers ??= recordHeaders(request, host, recording)
        return { value: headers }
      case 'log':
        return { value: recording.recorderOf(request.log) }
      case 'routeOptions':
        return { value: routeOptionsOf(request, recording) }
      case 'id':
        return isFromHeader(request) ? null : { value: request.id }
      default:
        return null
    }
  }

  return createRecorder({ name: 'request', original: () => request, shared }, recording)
}

/** Creates a recorder for the headers. Reading any header is a read, even if the request does not have it. */
function recordHeaders(request: FastifyRequest, host: string, recording: Recording) {
  return createRecorder(
    {
      name: 'request.headers',
      original: () => request.headers,
      // Behind a proxy, the header can differ from the host in the key.
      shared: (property) =>
        property === 'host' && request.headers.host?.toLowerCase() === host ? { value: host } : null,
    },
    recording,
  )
}

/**
 * Returns the options of the route. If the app has versions of routes, `version` depends on a header of the request.
 */
function routeOptionsOf(request: FastifyRequest, { note }: Recording) {
  const { routeOptions } = request
  if (!request.server.hasConstraintStrategy('version')) return routeOptions
  const { version } = routeOptions
  return Object.defineProperty(routeOptions, 'version', {
    enumerable: true,
    get() {
      note('request.routeOptions.version')
      return version
    },
  })
}

/**
 * Returns whether the id of a request contains a part of a header, as with the option `requestIdHeader` or
 * `genReqId`.
 */
function isFromHeader({ id, headers }: FastifyRequest): boolean {
  const text = String(id)
  const values = Object.values(headers).map(String)
  if (text.length < MIN_PART_LENGTH) return values.includes(text)
  const parts = Array.from({ length: text.length - MIN_PART_LENGTH + 1 }, (_, at) =>
    text.slice(at, at + MIN_PART_LENGTH),
  )
  return values.some((value) => parts.some((part) => value.includes(part)))
}
