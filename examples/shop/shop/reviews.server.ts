import { setTimeout } from 'node:timers/promises'

const reviews: Readonly<Record<string, readonly string[]>> = {
  notebook: ['It lies flat on the table.', 'The dots are light enough.'],
  'fountain-pen': ['It writes at once, every time.'],
}

/** A placeholder for a slow service of another company. */
export async function listReviews(id: string, signal: AbortSignal): Promise<readonly string[]> {
  await setTimeout(300, undefined, { signal })
  return reviews[id] ?? []
}
