// A failing test prints places in compiled files. `nameSources` translates them to places in the TypeScript source.
// Test processes run without --enable-source-maps, because it changes the stacks that are tested.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type EncodedSourceMap, originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'

/** A stack frame's place: relative to the repository, absolute, or a URL. */
const FRAME = /(?<![\w./@-])((?:file:\/\/)?\/[\w./@-]*\/)?(dist\/[\w./@-]+\.js):(\d+):(\d+)/g
/** The place in the fields that tap prints for an assertion. */
const FIELDS = /^( *)fileName: (dist\/\S+\.js)\n\1lineNumber: (\d+)\n\1columnNumber: (\d+)$/gm

const maps = new Map<string, TraceMap | null>()

/** Replaces places in the repository's compiled files by places in their sources. */
export function nameSources(text: string): string {
  const here = `${process.cwd()}/`
  return text
    .replace(FRAME, (all: string, before: string | undefined, file: string, line: string, column: string) => {
      const isOwn = before === undefined || before.replace(/^file:\/\//, '') === here
      const source = isOwn ? findSource(file, Number(line), Number(column)) : null
      return source ? `${source.file}:${source.line}:${source.column}` : all
    })
    .replace(FIELDS, (all: string, indent: string, file: string, line: string, column: string) => {
      const source = findSource(file, Number(line), Number(column))
      if (!source) return all
      return `${indent}fileName: ${source.file}\n${indent}lineNumber: ${source.line}\n${indent}columnNumber: ${source.column}`
    })
}

/** Returns null when no source map knows the place. Lines and columns begin with 1. */
function findSource(file: string, line: number, column: number) {
  const map = maps.get(file) ?? readMap(file)
  maps.set(file, map)
  if (map === null) return null
  const found = originalPositionFor(map, { line, column: column - 1 })
  if (found.source === null) return null
  return { file: relative('.', join(dirname(file), found.source)), line: found.line, column: found.column + 1 }
}

function readMap(file: string): TraceMap | null {
  const path = `${file}.map`
  if (!existsSync(path)) return null
  // The compiler writes valid maps.
  return new TraceMap(JSON.parse(readFileSync(path, 'utf8')) as EncodedSourceMap)
}
