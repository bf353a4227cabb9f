import type { StandardSchema } from 'hydrant/react'

/** A schema that fails instead of validating. */
export const form: StandardSchema<{ kind: string }> = {
  '~standard': {
    version: 1,
    vendor: 'own',
    validate(value) {
      // The cast is safe because the tests send this field.
      const { kind } = value as { kind: string }
      if (kind === 'throws') throw new Error('SECRET-MARKER')
      if (kind === 'rejects') return Promise.reject('SECRET-MARKER')
      if (kind === 'hangs') return new Promise(() => {})
      return { value: { kind } }
    },
  },
}

export function action() {
  return 'ran'
}
