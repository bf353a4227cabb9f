import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  type InjectOptions,
} from 'fastify'
import { runOutsideRequests } from '../../../src/server/cache/outside-requests.ts'
import { type ReadRecorder, recordReads, type VisitorRead } from '../../../src/server/cache/visitor-reads.ts'

/** The request and the reply of a test, with the properties that its plugins add. */
export interface Visit {
  request: FastifyRequest & Record<string, unknown>
  reply: FastifyReply & Record<string, unknown>
  context: Record<string, unknown>
}

export type Load = (ctx: Visit, original: Visit, recorder: ReadRecorder) => unknown

/** The result of a load that ran with recorders. */
export interface Recorded {
  value: unknown
  thrown: unknown
  /** The property of the first read; null if nothing was noted. */
  read: string | null
  firstRead: VisitorRead | null
  statusCode: number
  headers: Record<string, unknown>
}

/** The values that identify the visitors of these tests. */
export const SECRET = 'secret-of-the-visitor'
export const PATH = '/products/7?page=2'

const REQUEST: InjectOptions = {
  url: `${PATH}&user=${SECRET}`,
  headers: { host: 'shop.example:8443', cookie: `session=${SECRET}`, 'user-agent': `Agent/${SECRET}` },
}

export interface Recordings {
  app: FastifyInstance
  /** Runs a load with recorders, for a request with a secret in its headers and its query. */
  record(load: Load, request?: InjectOptions): Promise<Recorded>
}

export type RecordingOptions = FastifyServerOptions & {
  /** Returns the results of the guards; without it, the route has no guards. */
  contextOf?: (request: FastifyRequest) => Record<string, unknown>
}

/** Creates an app with one route. `add` adds its plugins, decorators and hooks. */
export async function createRecordings(
  add: (app: FastifyInstance) => unknown = () => {},
  { contextOf, ...options }: RecordingOptions = {},
): Promise<Recordings> {
  const app = Fastify(options)
  let current: Load = () => {}
  let recorded: Recorded | null = null
  await add(app)
  app.get('/products/:id', async (request, reply) => {
    // Fastify's object for a query has a prototype of its own.
    const query = Object.assign(Object.create(Object.getPrototypeOf(request.query)), { page: '2' })
    const context = contextOf?.(request) ?? {}
    const recorder = recordReads({ request, reply, context, hasGuards: contextOf !== undefined, url: PATH, query })
    const original = { request, reply, context }
    let value: unknown
    let thrown: unknown
    try {
      // The properties that plugins add have no types here.
      value = await runOutsideRequests(() =>
        current(recorder as unknown as Visit, original as unknown as Visit, recorder),
      )
    } catch (error) {
      thrown = error
    }
    const { firstRead } = recorder
    const read = firstRead?.property ?? null
    recorded = { value, thrown, read, firstRead, statusCode: 0, headers: {} }
    return 'sent'
  })
  await app.ready()
  return {
    app,
    async record(load, request) {
      current = load
      recorded = null
      const { statusCode, headers, body } = await app.inject({ ...REQUEST, ...request })
      if (recorded === null) throw new Error(`the route was not reached: ${statusCode} ${body}`)
      // The handler has set it, which the compiler cannot see.
      return { ...(recorded as Recorded), statusCode, headers }
    },
  }
}
