#!/usr/bin/env node
// The same for those who start the file by its name.
import './rollcall.cjs';
