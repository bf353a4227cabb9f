import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Loader, transform } from 'esbuild'
import { type BuildProblem, createProblem, placeAt } from '../../build-problem.ts'
import { FILES_AT_A_TIME, mapWithLimit } from '../../map-with-limit.ts'
import { isInstalled, loaderOf } from '../esbuild/source-file.ts'
import { nodesIn, parseScript } from '../output/parse-script.ts'

export const SERVER_DIRECTIVE = 'use server'

/** A directive at the beginning of a module, after comments. */
const IN_MODULE = /^(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*(?=(["'])use server\1)/
/** A text in the place of a directive, in the source of a module that has a directive. */
const IN_SOURCE = /[{;\n]\s*(?=(["'])use server\1)/

/**
 * Finds modules for the browser with the directive `"use server"`. In other frameworks such code runs on the server.
 * Here the browser would get it, with everything that is written in it.
 *
 * @param files The modules for the browser, relative to the site.
 */
export async function checkDirectives(siteDir: string, files: readonly string[]): Promise<BuildProblem[]> {
  const scripts = files.filter((file) => /\.[cm]?[jt]sx?$/.test(file) && !isInstalled(file))
  const found = await mapWithLimit(scripts, FILES_AT_A_TIME, (file) => findDirective(siteDir, file))
  return found.filter((problem) => problem !== null)
}

async function findDirective(siteDir: string, file: string): Promise<BuildProblem | null> {
  const source = await readFile(join(siteDir, file), 'utf8').catch(() => '')
  if (!source.includes(SERVER_DIRECTIVE)) return null
  const match = IN_MODULE.exec(source) ?? ((await hasDirective(source, loaderOf(file))) ? IN_SOURCE.exec(source) : null)
  const location = match && placeAt(file, source, match.index + match[0].length)
  return location && createProblem('HYD_BUILD_USE_SERVER', [file], location)
}

/** Returns whether a script has the directive, and not only a text or a comment that contains it. */
async function hasDirective(source: string, loader: Loader): Promise<boolean> {
  // A plugin of the site may compile what esbuild does not accept.
  const { code } = await transform(source, { loader, logLevel: 'silent' }).catch(() => ({ code: '' }))
  const nodes = [...nodesIn(parseScript(code))]
  return nodes.some((node) => node.type === 'ExpressionStatement' && node.directive === SERVER_DIRECTIVE)
}
