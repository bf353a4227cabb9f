// Measures Hydrant: `npm run bench -- PEERS_FOLDER`. docs/maintaining/benchmarks.md describes the method and the options.
//
// Each part writes its figures into the record when it ends, so an interrupted run keeps them. A server or a size that
// cannot be measured is named in the record and does not stop the others.

import { existsSync } from 'node:fs'
import { type Arguments, readArguments } from './arguments.ts'
import { recordFile } from './record.ts'
import { checkRequirements, Missing } from './requirements.ts'
import { chooseFrameworks } from './tracker/frameworks.ts'

const given = parse(process.argv.slice(2))
// Wrong usage is an error at once, before the modules of the parts are loaded.
if (given) await (await import('./run-parts.ts')).runParts(given)

/** Returns null, with an exit code, for wrong usage. */
function parse(args: readonly string[]): Arguments | null {
  try {
    const given = readArguments(args)
    checkRequirements(given)
    if (given.parts[0] === 'tracker') chooseFrameworks(given.folder ?? '', given.peers)
    const file = recordFile(given.out, given.name)
    const usage = 'npm run bench -- PEERS_FOLDER'
    if (given.isReport && !existsSync(file)) throw new Missing(`there is no record ${file}`, usage)
    return given
  } catch (error) {
    const fix = error instanceof Missing ? error.fix : 'npm run bench -- PEERS_FOLDER --parts speed,growth --name mine'
    console.error(`Error: ${error instanceof Error ? error.message : error}`)
    console.error(`Try: ${fix}`)
    process.exitCode = 2
    return null
  }
}
