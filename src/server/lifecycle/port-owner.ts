import { execFile } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import { showControlCharacters } from '../log/control-characters.ts'

/** A process that listens on a port. */
export interface PortOwner {
  name: string
  pid: number
}

/**
 * Finds the process that listens on a TCP port of this machine. Returns null when the system does not report it, for
 * example because another user runs the process. Never throws.
 */
export async function findPortOwner(port: number): Promise<PortOwner | null> {
  try {
    const owner = process.platform === 'linux' ? await findInProc(port) : await askLsof(port)
    return owner && { ...owner, name: showControlCharacters(owner.name) }
  } catch {
    return null
  }
}

const LISTENING = '0A'

async function findInProc(port: number): Promise<PortOwner | null> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readOr(`/proc/net/${name}`, '')))
  const sockets = new Set(tables.flatMap((table) => socketsIn(table, port)))
  if (sockets.size === 0) return null
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    // Files of other users cannot be read, and a process may end at any time.
    const files = await readdir(`/proc/${pid}/fd`).catch(() => [])
    for (const file of files) {
      const target = await readlink(`/proc/${pid}/fd/${file}`).catch(() => '')
      if (sockets.has(target)) return { name: await nameProcess(pid), pid: Number(pid) }
    }
  }
  return null
}

/** Returns the sockets that listen on the port, as the links in `/proc/<pid>/fd` name them. */
function socketsIn(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return table.split('\n').flatMap((line) => {
    const [, address = '', , state, , , , , , inode] = line.trim().split(/\s+/)
    return state === LISTENING && address.endsWith(suffix) ? [`socket:[${inode}]`] : []
  })
}

// `comm` is the name of the main thread, which programs set to anything.
async function nameProcess(pid: string): Promise<string> {
  const [program = ''] = (await readOr(`/proc/${pid}/cmdline`, '')).split('\0')
  return basename(program) || (await readOr(`/proc/${pid}/comm`, 'a process')).trim()
}

function readOr(path: string, fallback: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => fallback)
}

const LSOF_MS = 2_000

/** Asks lsof, which macOS and the BSDs have. */
export async function askLsof(port: number): Promise<PortOwner | null> {
  const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc']
  const { stdout } = await promisify(execFile)('lsof', args, { timeout: LSOF_MS })
  const [, pid, name] = /^p(\d+)\nc(.*)$/m.exec(stdout) ?? []
  return pid === undefined || name === undefined ? null : { name, pid: Number(pid) }
}
