/** Check sums of ZIP archives (CRC-32) for yazl: npm installs this package where yazl asks for one of its name. */
const { crc32 } = require('node:zlib')

/** The check sum of `data` after data with the check sum `previous`, from 0 to 2³² - 1. */
exports.unsigned = (data, previous = 0) => crc32(data, previous)
