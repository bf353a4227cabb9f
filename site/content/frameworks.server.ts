import type { Ratios } from '../documentation/ratios.ts'
import json from './frameworks.ratios'

/** How many times better Hydrant is than other servers; null if the site was built without a record of the benchmark. */
// The cast is safe: the build has written the text, see documentation/plugin.ts.
export const ratios = JSON.parse(json) as Ratios | null
