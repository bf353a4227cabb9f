// Finds files that another framework reads, by their names and their code. Hydrant does not read them, or they have another
// meaning, so a site that moves would lose them without a word.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FILES_AT_A_TIME, mapWithLimit } from '../../map-with-limit.ts'

export interface ForeignFile {
  /** The path in the site. */
  path: string
  framework: Framework
  /** What the file is in Hydrant. */
  meaning: string
  /** What Hydrant has in its place. */
  meant: string
}

/** The frameworks, with the chapters for their users. */
const CHAPTERS = {
  'Next.js': 'next',
  'React Router': 'react-router',
  'TanStack Start': 'tanstack-start',
  'another framework': 'coming-from',
} as const

export type Framework = keyof typeof CHAPTERS

interface Rule extends Omit<ForeignFile, 'path'> {
  path: RegExp
  /** A text in the code of such a file (any). */
  code?: RegExp
}

const ORDINARY = 'an ordinary module'
const FUNCTIONS = /^export\s+(?:async\s+)?(?:function|const)\s+(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\b/m
const BUNDLER_PLUGINS =
  /['"](?:@react-router\/dev|@remix-run\/dev|@tanstack\/react-start|@tanstack\/router-plugin|@fastify\/(?:vite|react)|vike)[/'"]/

const next = (path: RegExp, code: RegExp, meaning: string, meant: string): Rule => ({
  ...{ path, code, framework: 'Next.js', meaning, meant },
})
const routes = (framework: Framework, path: RegExp): Rule => ({
  ...{ path, framework, meaning: 'not read', meant: 'a file in pages/' },
})
const settings = (framework: Framework, path: RegExp, code = /^/): Rule => ({
  ...{ path, code, framework, meaning: 'not read', meant: 'hydrant.config.ts' },
})

const IN_PAGES: readonly Rule[] = [
  next(/(?:^|\/)route\.[jt]s$/, FUNCTIONS, ORDINARY, 'a route in server.ts'),
  next(/^api\/.*(?<!\.d|\.server)\.[jt]s$/, /^export\s+default\b/m, ORDINARY, 'a route in server.ts'),
  next(/(?:^|\/)template\.[jt]sx$/, /\bchildren\b/, 'a page', 'a component with a key in layout.tsx'),
]

/** The folders of the site in which other frameworks have files, relative to it. Those with routes are first. */
export const FOREIGN_FOLDERS: readonly string[] = ['app', 'src/app', 'src/routes', 'app/routes', '', 'src']

const OUTSIDE: readonly Rule[] = [
  next(
    /^(?:src\/)?(?:middleware|proxy)\.[jt]s$/,
    /['"]next\/server['"]|^export\s+const\s+config\b[^;]*?\bmatcher\b/m,
    ORDINARY,
    'a guard in pages/layout.server.ts',
  ),
  next(
    /^(?:src\/)?instrumentation\.[jt]s$/,
    /^export\s+(?:async\s+)?(?:function|const)\s+(?:register|onRequestError)\b/m,
    ORDINARY,
    'the plugin in server.ts',
  ),
  settings('Next.js', /^next\.config\.[cm]?[jt]s$/),
  settings('React Router', /^react-router\.config\.[jt]s$/),
  settings('another framework', /^vite\.config\.[cm]?[jt]s$/, BUNDLER_PLUGINS),
  routes('Next.js', /^(?:src\/)?app\/page\.[jt]sx$/),
  routes('React Router', /^app\/root\.[jt]sx$/),
  routes('TanStack Start', /^(?:src|app)\/routes\/__root\.[jt]sx$/),
]

/**
 * @param pages The paths of the files in pages/, relative to it.
 * @param others The paths of the files in `FOREIGN_FOLDERS`, relative to the site.
 */
export async function findForeignFiles(
  siteDir: string,
  pages: readonly string[],
  others: readonly string[],
): Promise<ForeignFile[]> {
  const read = (path: string) => readFile(join(siteDir, path), 'utf8').catch(() => '')

  async function find(rules: readonly Rule[], path: string, file: string): Promise<ForeignFile[]> {
    const named = rules.filter((rule) => rule.path.test(path))
    const source = named.some(({ code }) => code) ? await read(file) : ''
    const found = named.find(({ code }) => code?.test(source) ?? true)
    return found ? [{ path: file, framework: found.framework, meaning: found.meaning, meant: found.meant }] : []
  }

  const inPages = await Promise.all(pages.map((path) => find(IN_PAGES, path, `pages/${path}`)))
  const outside = (await Promise.all(others.map((path) => find(OUTSIDE, path, path)))).flat()
  if (outside.length === 0) return inPages.flat()
  // Hydrant gives these names no meaning, so a site may have modules of its own with them.
  const importers = [...pages.map((path) => `pages/${path}`), 'server.ts', 'server.js']
  const scripts = importers.filter((path) => /\.[jt]sx?$/.test(path))
  const sources = await mapWithLimit(scripts, FILES_AT_A_TIME, read)
  const isImported = ({ path }: ForeignFile) => {
    const specifier = new RegExp(`/${path.replace(/\.\w+$/, '').replaceAll('.', '\\.')}(?:\\.\\w+)?['"]`)
    return sources.some((source) => specifier.test(source))
  }
  return [...inPages.flat(), ...outside.filter((file) => !isImported(file))]
}

/** Returns the sentence that leads to the chapter for the users of a framework. */
export function chapterFix(framework: Framework): string {
  return `See "hydrant docs ${CHAPTERS[framework]}" for a move from ${framework}.`
}
