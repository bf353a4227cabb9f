// Reads the processes of a server from /proc, so it needs Linux.

import { readdirSync, readFileSync } from 'node:fs'

/** The resources of a process and its descendants. */
export interface Held {
  /** Processor time in ticks of the kernel's clock. */
  processorTicks: number
  /** Resident memory in MB. */
  residentMb: number
}

const PAGE_BYTES = 4096
/** The places of the fields of /proc/PID/stat after the name, which may contain spaces. */
const [PARENT, USER_TICKS, SYSTEM_TICKS, RESIDENT_PAGES] = [1, 11, 12, 21]

export function readHeld(pid: number): Held {
  const own = readTree(pid)
  return {
    processorTicks: own.reduce((sum, { ticks }) => sum + ticks, 0),
    residentMb: (own.reduce((sum, { pages }) => sum + pages, 0) * PAGE_BYTES) / 1e6,
  }
}

/** Returns the processor time of all threads of a process and its descendants in seconds, to the microsecond. */
export function readProcessorSeconds(pid: number): number {
  const threads = readTree(pid).flatMap(({ pid }) =>
    readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}/schedstat`),
  )
  return threads.reduce((sum, file) => sum + Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e9, 0)
}

/** Returns a process and its descendants. */
function readTree(pid: number): Process[] {
  const all = new Map(readProcesses().map((process) => [process.pid, process]))
  return [...all.values()].filter((process) => {
    for (let at: Process | undefined = process; at; at = all.get(at.parent)) if (at.pid === pid) return true
    return false
  })
}

interface Process {
  pid: number
  parent: number
  ticks: number
  pages: number
}

function readProcesses(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const fields = readStat(name)
      if (fields === null) return []
      const [parent = 0, user = 0, system = 0, pages = 0] = [PARENT, USER_TICKS, SYSTEM_TICKS, RESIDENT_PAGES].map(
        (place) => Number(fields[place]),
      )
      return { pid: Number(name), parent, ticks: user + system, pages }
    })
}

/** Returns null for a process that has ended meanwhile. */
function readStat(name: string): string[] | null {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}
