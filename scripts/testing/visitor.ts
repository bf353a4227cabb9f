import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { createHydrantError } from '../../src/server/errors/hydrant-error.ts'

/** The fields of a form by their names. An array sends a field several times, and a `Blob` is a file. */
export type FormFields = Record<string, string | Blob | readonly (string | Blob)[]>

/** Options of `submit`. */
export interface SubmitOptions {
  /** The HTTP method (`'POST'`). */
  method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
}

/** A response in a test. */
export interface TestResponse {
  /** The HTTP status. */
  status: number
  /** The body as text. */
  html: string
  headers: LightMyRequestResponse['headers']
  /** The header `Location` of a redirect; null for other responses. */
  location: string | null
}

/** A page in a test. */
export interface TestPage<Data = Record<string, unknown>> extends TestResponse {
  /**
   * The data that the load of the page returned, as JSON; null for a page without a load, and if the status is not
   * 2xx.
   */
  data: Data | null
}

/** A visitor with cookies of their own, whose requests go to an app without a port. */
export interface Visitor {
  /** Sends any request, with the visitor's cookies. The argument is that of Fastify's `inject`. */
  inject(request: InjectOptions | string): Promise<LightMyRequestResponse>
  /**
   * Requests a page twice: its HTML, and then its data as JSON. So its loads run twice. Does not follow redirects.
   *
   * @param path The path of the page with the base, and its query.
   */
  page<Data = Record<string, unknown>>(path: string): Promise<TestPage<Data>>
  /** Sends a form to the action of a page, as a browser does on this page. Does not follow redirects. */
  submit(path: string, fields: FormFields | FormData, options?: SubmitOptions): Promise<TestResponse>
  /** Sends the form of a sign-in page. Rejects with HYD_TEST_SIGN_IN if the action does not redirect. */
  signIn(path: string, fields: FormFields | FormData): Promise<TestResponse>
}

/**
 * Returns a visitor of a Fastify app, without cookies.
 *
 * @param origin The public origin of the site, which becomes the headers `Host` and `Origin` (`http://localhost`).
 */
export function createVisitor(app: FastifyInstance, origin = 'http://localhost'): Visitor {
  const jar = createCookieJar()
  const inject = (request: InjectOptions | string) => send(app, origin, jar, request)
  const visitor: Visitor = {
    inject,
    async page<Data>(path: string) {
      const response = toResponse(await inject({ url: path, headers: { accept: 'text/html' } }))
      const isFine = response.status >= 200 && response.status < 300
      const json = isFine ? await inject({ url: path, headers: { accept: 'application/json' } }) : null
      // The caller names the type of the data.
      return { ...response, data: json?.statusCode === response.status ? (json.json() as Data) : null }
    },
    async submit(path, fields, { method = 'POST' } = {}) {
      const { type, payload } = await encodeForm(fields)
      const headers = { accept: 'text/html', origin, 'sec-fetch-site': 'same-origin', 'content-type': type }
      return toResponse(await inject({ method, url: path, headers, payload }))
    },
    async signIn(path, fields) {
      const response = await visitor.submit(path, fields)
      if (response.location !== null) return response
      throw createHydrantError('HYD_TEST_SIGN_IN', [path, response.status, textOf(response.html)])
    },
  }
  return visitor
}

async function send(app: FastifyInstance, origin: string, jar: CookieJar, request: InjectOptions | string) {
  const options = typeof request === 'string' ? { url: request } : request
  const cookie = jar.header()
  const headers = { host: new URL(origin).host, ...(cookie === null ? {} : { cookie }), ...options.headers }
  const response = await app.inject({ ...options, headers })
  jar.store(response)
  // Hydrant calls `onFailure` after the response, with a `setImmediate` that was called before this one.
  await setImmediate()
  return response
}

function toResponse({ statusCode, body, headers }: LightMyRequestResponse): TestResponse {
  return { status: statusCode, html: body, headers, location: headers.location?.toString() ?? null }
}

/** Encodes a form as a browser does: as multipart if it has files, otherwise URL-encoded. */
async function encodeForm(fields: FormFields | FormData): Promise<{ type: string; payload: Buffer }> {
  const form = fields instanceof FormData ? fields : toForm(fields)
  const texts = new URLSearchParams()
  for (const [name, value] of form) if (typeof value === 'string') texts.append(name, value)
  const encoded = new Response(texts.size < [...form].length ? form : texts)
  return { type: encoded.headers.get('content-type') ?? '', payload: Buffer.from(await encoded.arrayBuffer()) }
}

function toForm(fields: FormFields): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    for (const one of [value].flat()) form.append(name, one)
  }
  return form
}

/** Returns the text that a visitor reads, cut to the length of a message. */
function textOf(html: string): string {
  const text = html
    .replace(/<(script|style|head)\b[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return text.length > 300 ? `${text.slice(0, 299)}…` : text
}

/** The cookies of a visitor. Paths and domains of cookies are ignored. */
type CookieJar = ReturnType<typeof createCookieJar>

function createCookieJar() {
  // The text of each cookie as the server wrote it: decoding could change it.
  const cookies = new Map<string, string>()
  return {
    /** Returns the value of the header `cookie`; null without cookies. */
    header: (): string | null => (cookies.size === 0 ? null : [...cookies.values()].join('; ')),
    /** Stores the cookies of a response, and removes those that the response deletes. */
    store({ headers }: LightMyRequestResponse) {
      for (const line of [headers['set-cookie'] ?? []].flat()) {
        const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
        const name = pair.slice(0, pair.indexOf('='))
        if (isEnded(attributes)) cookies.delete(name)
        else cookies.set(name, pair)
      }
    },
  }
}

function isEnded(attributes: readonly string[]): boolean {
  const attributeOf = (name: string) =>
    attributes.find((text) => text.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1)
  const maxAge = attributeOf('max-age')
  // Max-Age takes precedence over Expires.
  if (maxAge !== undefined) return Number(maxAge) <= 0
  return Date.parse(attributeOf('expires') ?? '') <= Date.now()
}
