// The public entry `hydrant`, for server files, the configuration and Fastify apps.

export { type Digest, parseDigest } from '../shared/wire/digest-format.ts'
export type { AdminPluginOptions } from './admin/admin-plugin.ts'
export type { CacheReport } from './admin/cache-report.ts'
export type { AdminConsole } from './admin/console.ts'
export type {
  ActionContext,
  CacheOptions,
  GuardContext,
  LayoutGuardContext,
  LayoutLoadContext,
  LoadContext,
  Prerender,
  PrerenderedAddress,
} from './build-output/page-contexts.ts'
export type { AppPageCache } from './cache/app-page-cache.ts'
export type { Invalidation, InvalidationResult } from './cache/cache-key.ts'
export { perRequest } from './context/per-request.ts'
export { type CreateServerOptions, createServer } from './create-server.ts'
export type {
  CodeLines,
  FailureRecord,
  KeptError,
  Occurrence,
  Phase,
  SourceFrame,
  UserAgentClass,
} from './errors/failure-record.ts'
export {
  type FormMessages,
  HttpError,
  invalidForm,
  localPath,
  notFound,
  type RedirectStatus,
  redirect,
} from './errors/http-error.ts'
export type { HydrantError } from './errors/hydrant-error.ts'
export { digestOf } from './failures/site-failures.ts'
export { rewriteUrl } from './http/request-url.ts'
export type { HydrantRoute, RouteSettings } from './http/route-config.ts'
export type { FailureDetails, FailureSummary } from './ledger/entries.ts'
export type { SlowReport, SlowRequestReport } from './ledger/slow-report.ts'
export { addDraining } from './lifecycle/drain-connections.ts'
export type {
  Config,
  EsbuildOptions,
  EsbuildPlugin,
  IdentifyVisitor,
  Instrument,
  ServerOptions,
  SiteOptions,
  Step,
  StepOutcome,
} from './options/config.ts'
export { defineConfig } from './options/config.ts'
export { hydrant as default, hydrant, type PluginOptions } from './plugin.ts'
