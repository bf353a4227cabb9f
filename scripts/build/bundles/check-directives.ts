import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metafile, OutputFile } from 'esbuild'
import { type BuildProblem, createProblem, placeAt } from '../../build-problem.ts'

/** A directive in a function, as esbuild writes it. */
const IN_FUNCTION = /[{;]\s*"use server";/
/** A directive at the beginning of a module, after comments. */
const IN_MODULE = /^(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*(?=(["'])use server\1)/
/** The first directive in the source of a module that has one. */
const IN_SOURCE = /[{;\n]\s*(?=(["'])use server\1)/

/**
 * Finds modules for the browser with the directive `"use server"`. In other frameworks such code runs on the server. Here
 * the browser would get it, with everything that is written in it.
 */
export async function checkDirectives(
  siteDir: string,
  outputs: readonly OutputFile[],
  { inputs }: Metafile,
): Promise<BuildProblem[]> {
  // The source maps contain the source.
  if (!outputs.some(({ path, text }) => path.endsWith('.map') && text.includes('use server'))) return []
  const hasFunction = outputs.some(({ path, text }) => path.endsWith('.js') && IN_FUNCTION.test(text))
  const files = Object.keys(inputs).filter((file) => /\.[cm]?[jt]sx?$/.test(file) && !isPackage(file))
  const found = await Promise.all(files.map((file) => findDirective(siteDir, file, hasFunction)))
  return found.filter((problem) => problem !== null)
}

async function findDirective(siteDir: string, file: string, hasFunction: boolean): Promise<BuildProblem | null> {
  const source = await readFile(join(siteDir, file), 'utf8').catch(() => '')
  const match = IN_MODULE.exec(source) ?? (hasFunction ? IN_SOURCE.exec(source) : null)
  const location = match && placeAt(file, source, match.index + match[0].length)
  return location && createProblem('HYD_BUILD_USE_SERVER', [file], location)
}

function isPackage(file: string): boolean {
  return /(?:^|\/)node_modules\//.test(file)
}
