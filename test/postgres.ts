// A PostgreSQL for one test, in a temporary folder, on a socket file: it uses no port.

import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { findPostgres } from './tools.ts'

export interface Postgres {
  /** The URL of the database `postgres`. */
  url: string
  /** Creates an empty database. Returns its URL. */
  createDatabase(name: string): string
  start(): void
  /** Stops the server at once, even if clients are connected. */
  stop(): void
}

export function startPostgres(t: Pick<Test, 'teardown'>): Postgres {
  const bin = findPostgres()
  if (bin === null) throw new Error('The tests need PostgreSQL: apt-get install postgresql')
  // Short, because the path of a socket may have only about a hundred characters.
  const folder = mkdtempSync(join(tmpdir(), 'pg-'))
  const data = join(folder, 'data')
  const owner = ownerOf()
  const run = (program: string, ...words: string[]) =>
    execFileSync(join(bin, program), words, { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  chmodSync(folder, 0o755)
  if (owner) chownSync(folder, owner.uid, owner.gid)
  const options = `-k ${folder} -c listen_addresses='' -c fsync=off -c log_min_messages=fatal`
  let isRunning = false

  const postgres: Postgres = {
    url: urlOf('postgres'),
    createDatabase(name) {
      run('createdb', '--host', folder, '--username', 'postgres', name)
      return urlOf(name)
    },
    start() {
      run('pg_ctl', 'start', '--wait', '--silent', '-D', data, '-l', join(folder, 'log'), '-o', options)
      isRunning = true
    },
    stop() {
      run('pg_ctl', 'stop', '--wait', '--silent', '-D', data, '-m', 'immediate')
      isRunning = false
    },
  }

  function urlOf(database: string) {
    return `postgres://postgres:a-password@/${database}?host=${encodeURIComponent(folder)}`
  }

  t.teardown(() => {
    if (isRunning) postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  createData(data, () => run('initdb', '-D', data, ...INITIAL))
  postgres.start()
  return postgres
}

const INITIAL = ['--username', 'postgres', '--auth', 'trust', '--encoding', 'UTF8', '--locale', 'C', '--no-sync']

/** Creates the data of a server. `initialize` takes ten times as long as a copy, so a run of the tests needs it once. */
function createData(data: string, initialize: () => void) {
  const run = process.env.TEST_FOLDER
  if (run === undefined) return initialize()
  const template = join(run, 'postgres-template')
  if (existsSync(template)) return copy(template, data)
  initialize()
  const draft = `${template}-${process.pid}`
  copy(data, draft)
  try {
    // Renamed when complete, because another test process may write it too.
    renameSync(draft, template)
  } catch (error) {
    if (!existsSync(template)) throw error
    rmSync(draft, { recursive: true })
  }
}

/** The copy belongs to the same user. */
function copy(from: string, to: string) {
  execFileSync('cp', ['--archive', from, to])
}

// PostgreSQL refuses to run as root. Its package creates a user for it.
function ownerOf(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
