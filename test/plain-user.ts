/** Stands before a command: takes from root what other users do not have, to read and write whatever it likes. */
export const AS_PLAIN_USER: readonly string[] =
  process.getuid?.() === 0
    ? [
        'setpriv',
        '--bounding-set=-dac_override,-dac_read_search',
        '--inh-caps=-dac_override,-dac_read_search',
        // What follows is the command's own.
        '--',
      ]
    : []
