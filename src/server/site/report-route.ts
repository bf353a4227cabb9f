import type { FastifyInstance, FastifyRequest } from 'fastify'
import { withBase } from '../../shared/paths.ts'
import { REPORT_PATH, type Report } from '../../shared/wire/report-format.ts'
import type { Site } from '../context/site.ts'
import { classifyThrown } from '../errors/classify-thrown.ts'
import { HttpError } from '../errors/http-error.ts'
import { refuseEncoded } from '../forms/limits.ts'
import { addCrossSiteGuard, CrossSiteError } from '../guards/csrf.ts'
import { createRateLimit } from '../guards/request-limits.ts'
import { limitCaching, NO_STORE } from '../http/caching.ts'
import { isPrivate } from '../http/negotiate.ts'
import { sendProblem } from '../http/problem.ts'
import { fetchSiteOf } from '../http/request-url.ts'
import { HIDDEN, ownPath, REPORT_ROUTE } from '../http/route-config.ts'
import { addThrottledLine, countOf } from '../log/throttled-line.ts'
import type { Options } from '../options/options.ts'
import { createErrorHandler } from '../pages/error-handler.ts'

/** Records a report that has passed `parseReport`. */
export type RecordReport = (report: Report, request: FastifyRequest) => void

const TOO_MANY = 429
// A beacon of a browser is not larger.
const MAX_BYTES = 65_536
/** All addresses together may send this many times as many reports as one address. */
const TOTAL_FACTOR = 10

/** Adds the route for reports of browsers, to a scope of its own: it replaces the content type parsers. */
export function addReportRoute(
  app: FastifyInstance,
  options: Options,
  site: Site,
  loadRecorder: () => Promise<RecordReport>,
) {
  let recorder: Promise<RecordReport> | undefined
  const { reports } = options
  const { maxPerAddress } = reports
  const isWithinLimit = createRateLimit({ maxPerAddress, maxTotal: TOTAL_FACTOR * maxPerAddress })
  const countRefused = addThrottledLine(app, (count) =>
    app.log.info(
      { refused: count },
      `refused with 429: ${countOf(count, 'browser report')} over the limits (reports.maxPerAddress)`,
    ),
  )
  const handleError = createErrorHandler(site)
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
      // A browser sends at least one of them with every POST.
      if (headers.origin === undefined && fetchSiteOf(headers) === undefined) {
        return done(new HttpError(403, 'Only browsers may send reports.'))
      }
      if (isWithinLimit(ip)) return done()
      countRefused()
      done(new HttpError(TOO_MANY, 'Too many reports.'))
    },
    preParsing: refuseEncoded,
    async handler(request, reply) {
      if (!isPrivate(reports, request.headers)) {
        const { parseReport } = await import('./parse-report.ts')
        const parsed = parseReport(parseJson(request.body))
        if ('problem' in parsed) throw new HttpError(400, `The report is not valid: ${parsed.problem}.`)
        recorder ??= loadRecorder().catch((error: unknown) => {
          recorder = undefined
          throw error
        })
        const record = await recorder
        record(parsed.report, request)
      }
      return reply.code(204).header('cache-control', NO_STORE).send()
    },
    async errorHandler(error, request, reply) {
      const caught = classifyThrown(error)
      if (caught.kind !== 'refusal') return handleError(error, request, reply)
      const { status: statusCode, message } = caught
      // The cross-site guard and the throttled line log theirs.
      if (!(error instanceof CrossSiteError) && statusCode !== TOO_MANY) {
        const { redaction } = site.failures.of(request)
        const url = redaction.inPlace(request.originalUrl)
        const reason = redaction.inMessage(message)
        request.log.info({ method: request.method, url, statusCode }, `refused with ${statusCode}: ${reason}`)
      }
      return sendProblem(statusCode, message, reply)
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
