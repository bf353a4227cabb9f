import { join } from 'node:path'
import type { Arguments, Part } from './arguments.ts'
import { type Copies, createCopies } from './browser/copies.ts'
import { measureHydration, measureNavigation } from './browser/measure.ts'
import { measureCache } from './cache/measure.ts'
import { endProcessesIn, measureSpeed } from './compare/speed.ts'
import { prepareWorkspace, type Workspace } from './compare/workspace.ts'
import { measureFailures } from './failures/measure.ts'
import { measureGrowth } from './growth/measure.ts'
import { type FiguresOf, readCommit, readMachine, readRecord, recordFile, writeRecord } from './record.ts'
import { fillDocuments } from './report/fill.ts'
import { toMarkdown } from './report/markdown.ts'
import { measureTracker } from './tracker/measure.ts'

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
async function measureInto(file: string, part: Part, given: Arguments, commit: string, prepared: Preparations) {
  const problems: string[] = []
  const onProblem = (text: string) => {
    problems.push(text)
    note(part, `PROBLEM: ${text}`)
  }
  const [started, machine, begin] = [new Date().toISOString(), readMachine(), performance.now()]
  try {
    const figures = await measurePart(part, { ...prepared, ...given, onProblem, note: (text) => note(part, text) })
    const minutes = (performance.now() - begin) / 60_000
    const record = readRecord(file)
    const measured = { started, minutes, commit, machine, plan: given.plan, figures, problems }
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

interface PartRun extends Arguments {
  /** Returns the servers to compare with, or null without a folder of peers. */
  workspace: () => Promise<Workspace | null>
  /** Returns their copies for the browser. */
  copies: () => Promise<Copies>
  note: (text: string) => void
  /** Receives everything that could not be measured. */
  onProblem: (text: string) => void
}

async function measurePart(part: Part, run: PartRun): Promise<FiguresOf<Part>> {
  const { plan, work, note, onProblem } = run
  switch (part) {
    case 'speed': {
      const workspace = await run.workspace()
      if (!workspace) throw new Error('the speed needs peers')
      for (const problem of workspace.problems) onProblem(problem)
      return measureSpeed(workspace, plan, onProblem)
    }
    case 'navigation':
    case 'hydration': {
      const { peers, problems } = await run.copies()
      for (const problem of problems) onProblem(problem)
      const rounds = { peers, samples: plan.samples, note, onProblem }
      return part === 'navigation' ? measureNavigation(rounds) : measureHydration(rounds)
    }
    case 'growth': {
      const peers = (await run.workspace())?.peers ?? []
      return measureGrowth({ plan, work, peers, note, onProblem })
    }
    case 'failures':
      return measureFailures(plan, note, onProblem)
    case 'cache':
      return measureCache(plan.turns, note)
    case 'tracker':
      // The arguments have the folder, because the part is chosen with it.
      return measureTracker({ clone: run.folder ?? '', names: run.peers, plan, note, onProblem })
  }
}
