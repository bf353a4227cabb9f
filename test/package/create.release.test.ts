// The templates of `hydrant create`.

import t from 'tap'
import { testMinimal } from './create-minimal.ts'
import { testPlugin } from './create-plugin.ts'
import { testTailwind } from './create-tailwind.ts'
import { createSites } from './created-site.ts'

// All before the first test: tap ends when it has none to wait for.
const { minimal, plugin, tailwind } = await createSites(t, ['tailwind', 'minimal', 'plugin'])

t.test('the template minimal', async (t) => testMinimal(t, minimal))
t.test('the template plugin', async (t) => testPlugin(t, plugin))
t.test('the template tailwind', async (t) => testTailwind(t, tailwind))
