import { defineConfig } from 'hydrant'

export default defineConfig({
  timeouts: {
    // No page of this site loads for long, and visitors who try F15 should not wait ten seconds.
    loadMs: 5_000,
    // The slow stream of F16 takes nearly ten seconds on purpose.
    renderMs: 15_000,
  },
})
