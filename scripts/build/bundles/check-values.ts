import {
  actionOf,
  componentOf,
  guardOf,
  isHydrated,
  loadOf,
  type ModuleExports,
  visitorLoadOf,
} from '../../../src/server/build-output/module-exports.ts'
import { readCacheRule } from '../../../src/server/cache/cache-rule.ts'
import { readPrerenderRule } from '../../../src/server/cache/prerender-rule.ts'
import { createPageSchemas } from '../../../src/server/schemas/page-schemas.ts'
import type { BuildProblem } from '../../build-problem.ts'
import { isKnownError } from '../../terminal/format-error.ts'
import type { DiscoveredSite } from '../discover/discover-site.ts'
import { findExport } from './find-export.ts'
import { OTHERS, UNKNOWN, type WrittenValues } from './written-values.ts'

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
