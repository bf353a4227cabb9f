import { hydrate } from './hydrate.ts'

void hydrate(self)
