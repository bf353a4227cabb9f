// Programs of users that tests start load this module first. It makes them cheaper, and changes nothing else.

import { setFlagsFromString } from 'node:v8'
import { V8_OPTIONS } from './v8-options.ts'

for (const option of V8_OPTIONS) setFlagsFromString(option)
// After the options, because V8 rejects code that was compiled with others.
await import('./code-cache.ts')
await import('./share-compression.ts')
