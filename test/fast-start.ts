// Programs of users that tests start load this module first. It makes them cheaper, and changes nothing else.

import './code-cache.ts'
import './share-compression.ts'
