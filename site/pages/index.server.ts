import type { LoadContext } from 'hydrant'
import { ratios } from '../content/frameworks.server.ts'
import { resolveLater } from '../content/later.ts'

export function load({ app }: LoadContext<'/'>) {
  return {
    ratios,
    renderedAt: new Date(),
    // Delayed, so that visitors can see it arrive after the rest of the page.
    facts: resolveLater(700, null).then(() => app.siteFacts()),
  }
}
