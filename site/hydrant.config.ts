import { channel } from 'node:diagnostics_channel'
import { defineConfig } from 'hydrant'
import { FAILURES } from './content/failures.ts'

const failures = channel(FAILURES)

export default defineConfig({
  // A function, so `hydrant start` does not load what compiles the documentation.
  esbuild: async () => {
    const { documentation } = await import('./documentation/plugin.ts')
    return { plugins: [documentation()] }
  },
  // The first page shows a failure that it has caused.
  onFailure: (failure) => failures.publish(failure),
  timeouts: {
    // No page of this site loads for long, and visitors who try F15 should not wait ten seconds.
    loadMs: 5_000,
    // The slow stream of F16 takes nearly ten seconds on purpose.
    renderMs: 15_000,
  },
})
