import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

/** The files with environment variables in a site's folder. A later one overrides an earlier one. */
export const ENV_FILES = ['.env', '.env.local'] as const

/** Environment variables from files. */
export interface EnvFiles {
  /** Reads the files. Variables that a file no longer has are removed. */
  load(): void
}

/**
 * Adds the variables of the files in `dir` to an environment. A variable that the environment has already, from the
 * shell for example, is kept.
 */
export function createEnvFiles(dir: string, env: NodeJS.ProcessEnv): EnvFiles {
  const added = new Set<string>()
  return {
    load() {
      const found: NodeJS.ProcessEnv = Object.assign({}, ...ENV_FILES.map((name) => readEnvFile(join(dir, name))))
      for (const name of added) delete env[name]
      added.clear()
      for (const [name, value] of Object.entries(found)) {
        if (env[name] !== undefined) continue
        env[name] = value
        added.add(name)
      }
    },
  }
}

function readEnvFile(file: string): NodeJS.ProcessEnv {
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (error) {
    // Most sites have no such file.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw error
  }
}
