import type { Part, Plan } from './arguments.ts'
import type { Copies } from './browser/copies.ts'
import { measureHydration } from './browser/hydration.ts'
import { measureNavigation } from './browser/navigation.ts'
import { measureCache } from './cache/measure.ts'
import { measureSpeed } from './compare/speed.ts'
import type { Workspace } from './compare/workspace.ts'
import { measureFailures } from './failures/measure.ts'
import { measureGrowth } from './growth/measure.ts'
import type { FiguresOf } from './record.ts'

export interface PartRun {
  plan: Plan
  work: string
  /** Returns the servers to compare with, or null without a folder of peers. */
  workspace: () => Promise<Workspace | null>
  /** Returns their copies for the browser. */
  copies: () => Promise<Copies>
  note: (text: string) => void
  /** Receives everything that could not be measured. */
  onProblem: (text: string) => void
}

export async function measurePart(part: Part, run: PartRun): Promise<FiguresOf<Part>> {
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
  }
}
