// Commands of `hydrant` that tests run import this module first.

import { shareCompression } from './compress-once.ts'

shareCompression(() => true)
