/* The serving process of bench/link.mjs: says where it listens, and how much processor time it used. */
import { subjects } from './link-subjects.mjs';

const [name, certs] = process.argv.slice(2);
process.send({ address: await subjects[name].serve(certs) });
process.on('message', () => process.send({ cpu: process.cpuUsage() }));
process.on('disconnect', () => process.exit());
