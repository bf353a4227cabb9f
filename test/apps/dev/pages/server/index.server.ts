import type { LoadContext } from 'hydrant'
import { row } from '../../parts/rows.ts'
import { shared } from '../../parts/shared.ts'
import title from '../../parts/title.json'

export const load = ({ app }: LoadContext) => ({
  title: title.text,
  row: row(),
  started: app.started,
  greeting: process.env.GREETING ?? 'none',
  shared: shared(),
})
