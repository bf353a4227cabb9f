// Warnings and hints in the log of `hydrant dev` about mistakes that no response shows. Call them in development only.

import type { FastifyReply } from 'fastify'
import type { SchemaIssue } from '../../shared/standard-schema.ts'
import type { Route } from '../build-output/load-build.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { Site } from '../context/site.ts'
import { type FormMessages, setSignalListener } from '../errors/http-error.ts'
import { createHydrantError, warnOf } from '../errors/hydrant-error.ts'
import { findSiteFrame, showFrame } from '../failures/stacks/place-frames.ts'
import { findPromises } from '../render/deferred.ts'
import type { Rendered } from '../render/document.ts'
import { findUnknownField, parseFieldName, writeFieldName } from '../schemas/form-object.ts'
import { toIssues } from '../schemas/issues.ts'
import type { PageSchema } from '../schemas/page-schemas.ts'
import { hintAtClosest } from '../util/closest-match.ts'
import { hasOtherBody, type RefusedForm } from './check-form.ts'

/**
 * Warns about messages for fields that the schema does not have (HYD_FORM_FIELD).
 *
 * @param error The value that `invalidForm` has thrown.
 */
export function warnOfUnknownFields(error: Error, messages: FormMessages, schema: PageSchema, ctx: RequestContext) {
  if (schema.shape === null) return
  for (const name of Object.keys(messages)) {
    const unknown = name === '' ? null : findUnknownField(schema.shape, parseFieldName(name).path)
    if (!unknown) continue
    const hint = hintAtClosest(unknown.name, unknown.known, (closest) => `"${unknown.replaceBy(closest)}"`)
    const frame = findSiteFrame(error, ctx.site.mapper)
    const place = frame ? showFrame(frame) : schema.file
    warnOf(createHydrantError('HYD_FORM_FIELD', [place, name, hint]), ctx.route, ctx.request.log)
  }
}

/** How long a redirect may take to reach Hydrant. */
const SIGNAL_MS = 1_000

/**
 * Warns about a redirect or `notFound()` that has not reached Hydrant: a `catch` for errors has probably caught it, and the
 * page goes on without a hint (HYD_SIGNAL_CAUGHT).
 */
export function warnOfCaughtSignals({ app, mapper }: Pick<Site, 'app' | 'mapper'>) {
  setSignalListener((signal, error) => {
    const timer = setTimeout(() => {
      const frame = signal.isCaught ? null : findSiteFrame(error, mapper)
      // Hydrant and packages of the site have their own uses for a signal.
      if (frame) warnOf(createHydrantError('HYD_SIGNAL_CAUGHT', [String(signal), showFrame(frame)]), '*', app.log)
    }, SIGNAL_MS)
    timer.unref()
  })
}

/** Says why the parameters of an address do not match the schema, which leads to a 404. */
export function hintAtParams(found: readonly SchemaIssue[], { file }: PageSchema, ctx: RequestContext) {
  const given = Object.keys(ctx.params)
  const issues = toIssues(found, writeFieldName)
  const reasons = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  const unknown = issues.find(({ path }) => path !== '' && !given.includes(path))
  const others = given.length > 0 ? `only ${given.join(', ')}` : 'and no other one'
  const hint = unknown ? `; the path has no parameter "${unknown.path}", ${others}` : ''
  const text = `404, because the parameters do not match the schema "params" of ${file}: ${reasons.join(', ')}${hint}`
  ctx.request.log[unknown ? 'warn' : 'info']({ route: ctx.route }, text)
}

/** Says why a form was not accepted. The page may show no message for a field that the form does not have. */
export function hintAtForm({ issues, form }: RefusedForm, ctx: RequestContext) {
  const reasons = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  const sent = hasOtherBody(ctx.request) ? [] : [...new Set(form.keys())]
  const missing = issues.map(({ path }) => path).filter((path) => path !== '' && !sent.some((name) => isOf(path, name)))
  const hint =
    sent.length > 0 && missing.length > 0
      ? `; the request has no field ${missing.map((path) => `"${path}"`).join(', ')}, only ${sent.join(', ')}`
      : ''
  ctx.request.log.info({ route: ctx.route }, `the form was not accepted: ${reasons.join(', ')}${hint}`)
}

/** Returns whether a field is part of the value at a path: `tags[]` of `tags`, and `address.city` of `address`. */
function isOf(path: string, field: string): boolean {
  return field === path || (field.startsWith(path) && /^[.[]/.test(field.slice(path.length)))
}

/** Says which export of which file would handle the request, which gets a 405. */
export function hintAtMissingAction({ page, id }: Pick<Route, 'page' | 'id'>, ctx: RequestContext) {
  const { file, serverFile } = page
  if (file === null) return
  const isMissing = serverFile === file
  const reason = isMissing ? `there is no ${serverFileFor(file)} with an` : `${serverFile} has no`
  ctx.request.log.info({ route: id }, `405, because ${reason} export "action"`)
}

/** Returns the path in the site of the server file that a page without one would get. */
function serverFileFor(page: string): string {
  return page.replace(/\.\w+$/, /\.jsx?$/.test(page) ? '.server.js' : '.server.ts')
}

/** Promises that were named, each once. */
const named = new Set<string>()

/**
 * Says which promises in the data of a page no component has read when its document is complete: a missing `await` in a
 * load shows an empty place, without an error. A page may read a promise later, in the browser, so this is no warning.
 *
 * @param values The data of the layouts, outermost first, then that of the page.
 * @param files The files that the values come from.
 */
export function hintAtUnreadPromises(
  values: readonly unknown[],
  files: readonly string[],
  rendering: Promise<Rendered>,
  ctx: RequestContext,
) {
  void rendering.then(async (rendered) => {
    if (rendered.kind === 'stream') await rendered.ended
    else if (rendered.kind !== 'whole') return
    if (ctx.firstFailure || ctx.isGone) return
    for (const [index, file] of files.entries()) {
      for (const [promise, path] of findPromises(values[index], 'data')) {
        const place = `${path} of ${file}`
        if (isRead(promise) || named.has(place)) continue
        named.add(place)
        const text = `no component has read the promise ${place} with use(); if the page needs its value, await it in the load`
        ctx.request.log.info({ route: ctx.route }, text)
      }
    }
  })
}

/** React's `use` marks the promises that it reads. */
function isRead(promise: unknown): boolean {
  return Object.hasOwn(Object(promise), 'status')
}

/** The methods of a reply that change what is sent before the body. */
const HEAD_METHODS = ['header', 'code', 'status'] as const

const watched = new WeakSet<FastifyReply>()

/**
 * Warns about a header, a cookie or a status that code of the site sets after the response has begun, for example in a
 * deferred promise: it is never sent (HYD_HEADER_LATE).
 */
export function warnOfLateHeaders(ctx: RequestContext) {
  const { reply } = ctx
  if (watched.has(reply)) return
  watched.add(reply)
  for (const method of HEAD_METHODS) {
    // Each of them returns the reply.
    const set = reply[method] as (...given: unknown[]) => FastifyReply
    Object.assign(reply, {
      [method](...given: unknown[]) {
        if (reply.raw.headersSent) warnOfLate(method === 'header' ? 'header' : 'status', given[0], ctx)
        return set.apply(reply, given)
      },
    })
  }
}

function warnOfLate(kind: string, given: unknown, { site, request, route }: RequestContext) {
  const frame = findSiteFrame(new Error('the place'), site.mapper)
  if (!frame) return
  warnOf(createHydrantError('HYD_HEADER_LATE', [showFrame(frame), kind, String(given)]), route, request.log)
}
