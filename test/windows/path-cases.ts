// Prints what the functions that know paths return on the system that runs them. `paths.release.test.ts` runs it.

import { isServerFile } from '../../scripts/build/esbuild/browser-guard.ts'
import { entryPath, VIRTUAL_ID } from '../../scripts/build/esbuild/bundler.ts'
import { isInstalled } from '../../scripts/build/esbuild/resolve-file.ts'
import { quoteWord } from '../../scripts/terminal/text.ts'
import { toFile, toSource } from '../../src/server/failures/stacks/source-map-file.ts'
import { isCaller, readFrame } from '../../src/server/failures/stacks/stack-frame.ts'
import { isInside, isOutside, toSitePath } from '../../src/server/util/paths.ts'

/** What is read from standard input: folders and files of the system. */
export interface PathCases {
  siteDir: string
  /** Files of any place. */
  files: string[]
}

/** Describes each file as the parts of Hydrant see it. */
export function describePaths({ siteDir, files }: PathCases) {
  return files.map((file) => {
    const path = toSitePath(siteDir, file)
    const source = toSource(siteDir, file)
    return {
      path,
      isOutside: isOutside(path),
      isInside: isInside(siteDir, file),
      isServerFile: isServerFile(siteDir, file),
      isInstalled: isInstalled(file),
      isCaller: isCaller(file),
      isVirtual: VIRTUAL_ID.test(path),
      entry: entryPath(siteDir, file),
      source,
      /** Whether the way back leads to the file. */
      isFound: toFile(siteDir, source) === file,
      frame: readFrame(`    at load (${file}:3:9)`)?.location,
      word: quoteWord(file),
    }
  })
}

const [cases] = process.argv.slice(2)
if (cases !== undefined) console.log(JSON.stringify(describePaths(JSON.parse(cases))))
