import type { LoadContext } from 'hydrant'
import { values } from '../../parts/values.ts'

type Load = (context: LoadContext<'/constant/[kind]'>) => unknown

const wrapped =
  (load: Load): Load =>
  (context) =>
    load(context)

export const load = wrapped(({ params }) => {
  // place: /constant
  throw values[params.kind]?.()
})
