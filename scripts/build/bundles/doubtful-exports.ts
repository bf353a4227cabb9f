import {
  LAYOUT_SERVER_EXPORTS,
  PAGE_SERVER_EXPORTS,
  serverFileKeys,
} from '../../../src/server/build-output/manifest.ts'
import { closestMatch } from '../../../src/server/util/closest-match.ts'
import { type BuildProblem, createProblem } from '../../build-problem.ts'
import type { DiscoveredSite } from '../discover/discover-site.ts'
import { findExport } from './find-export.ts'

/** Names that other frameworks give to the exports of server files. */
const OTHER_NAMES = new Map([
  ['getServerSideProps', 'load'],
  ['getStaticProps', 'load'],
  ['getInitialProps', 'load'],
  ['loader', 'load'],
  ['beforeLoad', 'guard'],
  ['middleware', 'guard'],
  ['actions', 'action'],
])

/** Returns the export that an unknown export of a server file probably means. */
export function meantExport(name: string, allowed: readonly string[]): string | undefined {
  const other = OTHER_NAMES.get(name)
  return other !== undefined && allowed.includes(other) ? other : closestMatch(name, allowed)
}

/** Finds the exports of pages and layouts that have a meaning only in their server files. */
export async function findDoubtfulExports(
  siteDir: string,
  site: DiscoveredSite,
  found: ReadonlyMap<string, readonly string[]>,
): Promise<BuildProblem[]> {
  const doubts = site.components.flatMap(({ file, kind }) => {
    if (kind !== 'page' && kind !== 'layout') return []
    const allowed: readonly string[] =
      kind === 'page' ? PAGE_SERVER_EXPORTS.filter((name) => name !== 'prerender') : LAYOUT_SERVER_EXPORTS
    const present = serverFileKeys(file).flatMap((key) => found.get(key) ?? [])
    return (found.get(file) ?? []).flatMap((name) => {
      const meant = allowed.find((one) => one === name) ?? OTHER_NAMES.get(name)
      const isDoubtful = meant !== undefined && allowed.includes(meant) && !present.includes(meant)
      return isDoubtful ? [{ file, name, meant }] : []
    })
  })
  return Promise.all(
    doubts.map(async ({ file, name, meant }) => {
      const server = file.replace(/\.(?:[jt]sx|mdx)$/, '.server.ts')
      return createProblem('HYD_BUILD_PAGE_EXPORT', [file, name, meant, server], await findExport(siteDir, file, name))
    }),
  )
}
