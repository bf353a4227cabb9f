/** A command prefix that removes root's permission to read and write any file. */
export const AS_PLAIN_USER: readonly string[] =
  process.getuid?.() === 0
    ? [
        'setpriv',
        '--bounding-set=-dac_override,-dac_read_search',
        '--inh-caps=-dac_override,-dac_read_search',
        // The command follows.
        '--',
      ]
    : []
