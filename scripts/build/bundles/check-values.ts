import { readCacheRule, readPrerenderRule } from '../../../src/server/build-output/cache-rule.ts'
import { serverFileKeys } from '../../../src/server/build-output/manifest.ts'
import {
  actionOf,
  componentOf,
  guardOf,
  isHydrated,
  loadOf,
  type ModuleExports,
  visitorLoadOf,
} from '../../../src/server/build-output/module-exports.ts'
import { createPageSchemas } from '../../../src/server/schemas/page-schemas.ts'
import { type BuildProblem, createProblem } from '../../build-problem.ts'
import { isKnownError } from '../../terminal/format-error.ts'
import type { DiscoveredSite } from '../discover/discover-site.ts'
import { findExport, OTHERS, UNKNOWN, type WrittenValues } from './read-exports.ts'

/** Throws the error that the server would throw for an export. */
type Check = (module: ModuleExports) => unknown

const NO_FILE: ModuleExports = { file: '', exports: {} }

const GUARD_AND_LOAD: Record<string, Check> = { guard: guardOf, load: loadOf }

/** The checks of exports, by the kind of the file and the name of the export. */
const CHECKS = {
  page: { default: componentOf, hydrate: isHydrated, prerender: (page) => checkPrerenderRule(NO_FILE, page) },
  component: { default: componentOf },
  layoutServer: GUARD_AND_LOAD,
  pageServer: {
    ...GUARD_AND_LOAD,
    action: actionOf,
    cache: checkCache,
    prerender: (server) => checkPrerenderRule(server, NO_FILE),
    loadVisitor: ({ file, exports }: ModuleExports) => visitorLoadOf({ file, exports: { cache: UNKNOWN, ...exports } }),
    form: checkSchema,
    search: checkSchema,
    params: checkSchema,
  },
} as const satisfies Record<string, Record<string, Check>>

/**
 * Finds exports whose written value the server would refuse. The code of the site does not run here, so the server
 * checks the other values when it starts.
 */
export async function checkValues(
  siteDir: string,
  { components, serverFiles }: DiscoveredSite,
  values: ReadonlyMap<string, WrittenValues>,
): Promise<BuildProblem[]> {
  const files: { file: string; checks: Record<string, Check> }[] = [
    ...components
      // The compiler of MDX writes the component.
      .filter(({ file }) => !file.endsWith('.mdx'))
      .map(({ file, kind }) => ({ file, checks: kind === 'page' ? CHECKS.page : CHECKS.component })),
    ...serverFiles.map(({ file, kind }) => ({
      file,
      checks: kind === 'page' ? CHECKS.pageServer : CHECKS.layoutServer,
    })),
  ]
  const found = files.flatMap(({ file, checks }) =>
    [...(values.get(file) ?? [])].flatMap(([name, value]) => {
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined
      const error = check && errorOf(() => check({ file, exports: { [name]: value } }))
      return error ? [{ file, name, error }] : []
    }),
  )
  return Promise.all(
    found.map(async ({ file, name, error }) => ({ ...error, location: await findExport(siteDir, file, name) })),
  )
}

function errorOf(check: () => unknown): Pick<BuildProblem, 'code' | 'message' | 'fix'> | null {
  try {
    check()
    return null
  } catch (error) {
    if (!isKnownError(error)) throw error
    const { code, message, fix } = error
    // The code is from Hydrant's table.
    return { code: code as BuildProblem['code'], message, fix }
  }
}

/** Values that the rule accepts, for those that only the running code would show. */
const ACCEPTED = new Map<string, unknown>([
  ['maxAgeS', 0],
  ['staleS', 0],
  ['tags', []],
  ['search', []],
])

function checkCache({ file, exports: { cache } }: ModuleExports) {
  if (typeof cache !== 'object' || cache === null || Array.isArray(cache)) return readCacheRule({ cache }, file)
  const { [OTHERS]: others, ...given } = cache as Record<string, unknown>
  const entries = Object.entries(given).map(([name, value]) => [name, value === UNKNOWN ? ACCEPTED.get(name) : value])
  const filled = others === undefined ? {} : Object.fromEntries(ACCEPTED)
  return readCacheRule({ cache: { ...filled, ...Object.fromEntries(entries) } }, file)
}

/** Only one of the two files has the export. A name with brackets is a parameter of the path. */
function checkPrerenderRule(server: ModuleExports, page: ModuleExports) {
  return readPrerenderRule(server, page, /\[/.test(server.file + page.file))
}

function checkSchema({ file, exports }: ModuleExports) {
  const [schema] = Object.values(exports)
  if (typeof schema === 'object' && schema !== null && ('~standard' in schema || OTHERS in schema)) return
  createPageSchemas(exports, file)
}

/** The exports of a page's server file that a prerendered page cannot have, with their descriptions. */
const NEEDS_SERVER = new Map([
  ['guard', 'a guard'],
  ['action', 'an action'],
  ['search', 'a schema for the query'],
  ['cache', 'the export "cache"'],
  ['loadVisitor', 'a part for each visitor'],
])

/**
 * Finds pages that export `prerender` and need a server for each visitor.
 *
 * @param reported Names of exports that another check reports.
 */
export async function checkPrerender(
  siteDir: string,
  { routes }: DiscoveredSite,
  found: ReadonlyMap<string, readonly string[]>,
  reported: readonly string[],
): Promise<BuildProblem[]> {
  const serverOf = (file: string) => serverFileKeys(file).find((key) => found.has(key))
  const exportsOf = (file: string | undefined) =>
    file === undefined ? [] : (found.get(file) ?? []).filter((name) => !reported.includes(name))
  const problems = routes.flatMap(({ page, layouts }) => {
    const server = serverOf(page)
    const files = [page, server].filter((file) => exportsOf(file).includes('prerender'))
    const [file] = files
    if (file === undefined) return []
    const reasons = [
      ...(files.length > 1 ? [`${page} and ${server} export "prerender"; one of them is enough`] : []),
      ...exportsOf(server).flatMap((name) =>
        NEEDS_SERVER.has(name) ? [`${server} has ${NEEDS_SERVER.get(name)}`] : [],
      ),
      ...layouts.flatMap((layout) => {
        const around = serverOf(layout)
        return exportsOf(around).includes('guard') ? [`${around} has a guard for all pages below it`] : []
      }),
    ]
    return reasons.map((reason) => ({ page, file, reason }))
  })
  return Promise.all(
    problems.map(async ({ page, file, reason }) =>
      createProblem('HYD_PRERENDER_SERVER', [page, reason], await findExport(siteDir, file, 'prerender')),
    ),
  )
}
