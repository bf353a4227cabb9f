import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { pickPublic, publicEnv } from '../../shared/public-env.ts'
import { escapeScript } from '../../shared/wire/html.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { hasCode, messageOf } from '../util/unknown-values.ts'

/** `hydrant dev` is development, `hydrant build` and `hydrant start` are production. */
export type EnvMode = 'development' | 'production'

/** Returns the names of the files with environment variables. A later one overrides an earlier one. */
export function envFileNames(mode: EnvMode): string[] {
  return ['.env', `.env.${mode}`, '.env.local', `.env.${mode}.local`]
}

/** Environment variables from files. */
export type EnvFiles = ReturnType<typeof createEnvFiles>

/**
 * Adds the variables of the files in `dir` to an environment. A variable that the environment has already, from the
 * shell for example, is kept.
 */
export function createEnvFiles(dir: string, mode: EnvMode, env: NodeJS.ProcessEnv) {
  const files = envFileNames(mode).map((name) => join(dir, name))
  const added = new Set<string>()
  return {
    /** Returns the variables that the files have added to the environment. */
    added: () => Object.fromEntries([...added].map((name) => [name, env[name]])),
    /** Reads the files. Variables that a file no longer has are removed. */
    load() {
      const found: NodeJS.ProcessEnv = Object.assign({}, ...files.map(readEnvFile))
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

/** Returns the variables of a file; none if there is no such file. Throws HYD_ENV_UNREADABLE. */
export function readEnvFile(file: string): NodeJS.ProcessEnv {
  try {
    // Editors on Windows may begin a file with a byte order mark, which would be a part of the first name.
    return parseEnv(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return {}
    throw createHydrantError('HYD_ENV_UNREADABLE', [file, messageOf(error)], error)
  }
}

/**
 * Gives `publicEnv` the public variables of an environment. Returns them as JSON that is safe inside a script; null
 * without any.
 */
export function publishEnv(env: NodeJS.ProcessEnv): string | null {
  const found = pickPublic(env)
  // Only the server changes it: the site sees it as read-only.
  const target = publicEnv as Record<string, string | undefined>
  for (const name of Object.keys(target)) delete target[name]
  Object.assign(target, found)
  return Object.keys(found).length > 0 ? escapeScript(JSON.stringify(found)) : null
}
