import type { StandardSchema } from 'hydrant/react'

/** A schema that waits for the test, which sets `hydrantGate`, and accepts one text. */
export const gatedSchema: StandardSchema<{ text: string }, { text: string }> = {
  '~standard': {
    version: 1,
    vendor: 'own',
    async validate(value) {
      await (globalThis as { hydrantGate?: Promise<void> }).hydrantGate
      // The cast is safe because the forms have this field.
      const { text } = value as { text: string }
      return text === 'fine' ? { value: { text } } : { issues: [{ message: 'Not this text', path: ['text'] }] }
    },
  },
}
