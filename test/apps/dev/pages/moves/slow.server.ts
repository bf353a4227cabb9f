import type { LoadContext } from 'hydrant'

export const load = ({ app }: LoadContext) => app.gate()
