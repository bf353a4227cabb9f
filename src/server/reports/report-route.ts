import type { FastifyInstance, FastifyRequest } from 'fastify'
import { withBase } from '../../shared/paths.ts'
import { REPORT_PATH, type Report } from '../../shared/wire/report-format.ts'
import type { Site } from '../context/site.ts'
import { refuseEncoded } from '../forms/body-checks.ts'
import { addCrossSiteGuard, CrossSiteError } from '../guards/csrf.ts'
import { createRateLimit } from '../guards/rate-limit.ts'
import { limitCaching, NO_STORE } from '../http/caching.ts'
import { fetchSiteOf } from '../http/fetch-metadata.ts'
import { HIDDEN, ownPath } from '../http/own-routes.ts'
import { sendProblem } from '../http/problem.ts'
import { REPORT_ROUTE } from '../http/route-config.ts'
import { INERT_POLICY, setPolicy } from '../http/security-headers.ts'
import { addThrottledLine, countOf } from '../log/throttled-line.ts'
import type { Options } from '../options/options.ts'
import { isPrivate } from '../pages/report-settings.ts'
import { serveError } from '../pages/serve-error.ts'
import { classifyThrown } from '../thrown/classify-thrown.ts'
import { HttpError } from '../thrown/http-error.ts'

/** Takes a report that is what it should be. */
export type TakeReport = (report: Report, request: FastifyRequest) => void

const TOO_MANY = 429
const MAX_BYTES = 32_768
/** All addresses together may send this many times as many reports as one address. */
const TOTAL_FACTOR = 10

/** Takes what browsers tell of failures, in an instance of its own: bodies are read in another way than elsewhere. */
export function addReportRoute(
  app: FastifyInstance,
  options: Options,
  site: Site,
  loadTaker: () => Promise<TakeReport>,
) {
  let taker: Promise<TakeReport> | undefined
  const { reports } = options
  const { maxPerAddress } = options.reports
  const isWithin = createRateLimit({ maxPerAddress, maxTotal: TOTAL_FACTOR * maxPerAddress })
  const countRefused = addThrottledLine(app, (count) =>
    app.log.info(
      { refused: count },
      `refused with 429: ${countOf(count, 'browser report')} over the limits (reports.maxPerAddress)`,
    ),
  )
  addCrossSiteGuard(app, options)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(['application/json', 'text/plain'], { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  )
  app.route({
    method: 'POST',
    url: ownPath(app, withBase(site.options.base, REPORT_PATH)),
    schema: HIDDEN,
    bodyLimit: MAX_BYTES,
    config: REPORT_ROUTE,
    onRequest(request, reply, done) {
      limitCaching(reply, 'no-store')
      const { headers, ip } = request
      // A browser always says one of them.
      if (headers.origin === undefined && fetchSiteOf(headers) === undefined) {
        return done(new HttpError(403, 'Only browsers may send reports.'))
      }
      // None comes with a connection through a socket file, whatever Fastify's types say.
      if (isWithin(ip ?? '')) return done()
      countRefused()
      done(new HttpError(TOO_MANY, 'Too many reports.'))
    },
    preParsing: refuseEncoded,
    async handler(request, reply) {
      if (!isPrivate(reports, request.headers)) {
        const { parseReport: readReport } = await import('./parse-report.ts')
        const read = readReport(parseJson(request.body))
        if ('problem' in read) throw new HttpError(400, `The report is not valid: ${read.problem}.`)
        taker ??= loadTaker()
        const take = await taker
        take(read.report, request)
      }
      return reply.code(204).header('cache-control', NO_STORE).send()
    },
    async errorHandler(error, request, reply) {
      const meaning = classifyThrown(error)
      if (meaning.kind !== 'refusal') return serveError(error, null, site, request, reply)
      const { status: statusCode, message } = meaning
      // The others are told of elsewhere.
      if (!(error instanceof CrossSiteError) && statusCode !== TOO_MANY) {
        const { redaction } = site.failures.of(request)
        const url = redaction.inPlace(request.originalUrl)
        const reason = redaction.inMessage(message)
        request.log.info({ method: request.method, url, statusCode }, `refused with ${statusCode}: ${reason}`)
      }
      setPolicy(reply, INERT_POLICY)
      return sendProblem(statusCode, message, request, reply.header('cache-control', NO_STORE))
    },
  })
}

function parseJson(body: unknown): unknown {
  try {
    return JSON.parse(String(body))
  } catch {
    throw new HttpError(400, 'The report is not valid: it is not JSON.')
  }
}
