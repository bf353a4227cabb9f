import { join } from 'node:path'
import type { Arguments, Part } from './arguments.ts'
import { type Copies, createCopies } from './browser/copies.ts'
import { endProcessesIn } from './compare/processes.ts'
import { prepareWorkspace, type Workspace } from './compare/workspace.ts'
import { measurePart, type PartRun } from './parts.ts'
import { readCommit, readMachine, readRecord, recordFile, writeRecord } from './record.ts'
import { fillDocuments } from './report/fill.ts'
import { toMarkdown } from './report/markdown.ts'

/** Measures the parts one after the other. */
export async function runParts(given: Arguments) {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt(given))
  const file = recordFile(given.out, given.name)
  const commit = readCommit()
  const preparations = createPreparations(given)
  for (const part of given.parts) {
    if (given.isResumed && readRecord(file).parts[part]?.commit === commit) {
      note(part, 'is in the record')
      continue
    }
    if (!(await measureInto(file, part, given, commit, preparations))) process.exitCode = 1
  }
  if (given.isFilled) fillDocuments(readRecord(file))
  console.log(toMarkdown(readRecord(file)))
  note('bench', `the record is ${file}`)
}

type Preparations = Pick<PartRun, 'workspace' | 'copies'>

/** Adds the figures of a part to the record. Returns false if there are none. */
async function measureInto(
  file: string,
  part: Part,
  { plan, work }: Arguments,
  commit: string,
  prepared: Preparations,
) {
  const problems: string[] = []
  const onProblem = (text: string) => {
    problems.push(text)
    note(part, `PROBLEM: ${text}`)
  }
  const [started, machine, begin] = [new Date().toISOString(), readMachine(), performance.now()]
  try {
    const figures = await measurePart(part, { ...prepared, plan, work, onProblem, note: (text) => note(part, text) })
    const minutes = (performance.now() - begin) / 60_000
    const record = readRecord(file)
    const measured = { started, minutes, commit, machine, plan, figures, problems }
    writeRecord(file, { ...record, parts: { ...record.parts, [part]: measured } })
    return true
  } catch (error) {
    onProblem(error instanceof Error ? (error.stack ?? error.message) : String(error))
    return false
  }
}

/** Prepares the peers once, when the first part needs them. */
function createPreparations({ folder, peers, work }: Arguments): Preparations {
  const log = (text: string) => note('peers', text)
  let workspace: Promise<Workspace> | null = null
  let copies: Promise<Copies> | null = null
  const prepare = async () => {
    if (folder === null) return null
    workspace ??= prepareWorkspace({ folder, names: peers, work, note: log })
    return workspace
  }
  return {
    workspace: prepare,
    async copies() {
      const originals = await prepare()
      copies ??= createCopies(originals?.peers ?? [], work, log)
      const { peers, problems } = await copies
      return { peers, problems: [...(originals?.problems ?? []), ...problems] }
    },
  }
}

function interrupt({ work }: Arguments) {
  endProcessesIn(join(work, 'peers'))
  // Servers of other parts end with this process.
  process.exit(130)
}

function note(part: string, text: string) {
  console.error(`${new Date().toISOString().slice(11, 19)} ${part}: ${text}`)
}
