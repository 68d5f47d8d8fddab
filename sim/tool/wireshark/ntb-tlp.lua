-- SPDX-License-Identifier: MIT
-- TLPs as `ntb-sim ... --pcapng FILE` writes them: sequence number (2 bytes), header of 3 or 4 DW (PCIe 4.0, 2.2).
-- Payload and LCRC are not captured.
--
--     wireshark -X lua_script:ntb-tlp.lua run.pcapng
--     tshark -X lua_script:ntb-tlp.lua -r run.pcapng -Y 'ntbtlp.type == "CplD"' -T fields -e ntbtlp.tag

local tlp = Proto("ntbtlp", "PCI Express TLP")

local NAMES = {
    [0x00] = "MRd", [0x20] = "MRd", [0x01] = "MRdLk", [0x21] = "MRdLk", [0x40] = "MWr", [0x60] = "MWr",
    [0x02] = "IORd", [0x42] = "IOWr", [0x04] = "CfgRd0", [0x44] = "CfgWr0", [0x05] = "CfgRd1", [0x45] = "CfgWr1",
    [0x0a] = "Cpl", [0x4a] = "CplD", [0x0b] = "CplLk", [0x4b] = "CplDLk",
    [0x4c] = "FetchAdd", [0x6c] = "FetchAdd", [0x4d] = "Swap", [0x6d] = "Swap", [0x4e] = "CAS", [0x6e] = "CAS",
}
for routing = 0, 5 do
    NAMES[0x30 + routing] = "Msg"
    NAMES[0x70 + routing] = "MsgD"
end
local STATUS = { [0] = "Successful Completion", [1] = "Unsupported Request",
                 [2] = "Configuration Request Retry Status", [4] = "Completer Abort" }
local FMT = { [0] = "3 DW", [1] = "4 DW", [2] = "3 DW with data", [3] = "4 DW with data", [4] = "prefix" }

local f = {
    seq = ProtoField.uint16("ntbtlp.seq", "Sequence Number", base.DEC, nil, 0x0fff),
    type = ProtoField.string("ntbtlp.type", "Type"),
    fmt = ProtoField.uint8("ntbtlp.fmt", "Fmt", base.HEX, FMT, 0xe0),
    typecode = ProtoField.uint8("ntbtlp.typecode", "Type code", base.HEX, nil, 0x1f),
    tc = ProtoField.uint8("ntbtlp.tc", "Traffic Class", base.DEC, nil, 0x70),
    ido = ProtoField.bool("ntbtlp.ido", "ID-based Ordering", 8, nil, 0x04),
    th = ProtoField.bool("ntbtlp.th", "TLP Hints", 8, nil, 0x01),
    td = ProtoField.bool("ntbtlp.td", "TLP Digest", 8, nil, 0x80),
    ep = ProtoField.bool("ntbtlp.ep", "Poisoned", 8, nil, 0x40),
    ro = ProtoField.bool("ntbtlp.ro", "Relaxed Ordering", 8, nil, 0x20),
    ns = ProtoField.bool("ntbtlp.ns", "No Snoop", 8, nil, 0x10),
    at = ProtoField.uint8("ntbtlp.at", "Address Type", base.DEC, nil, 0x0c),
    length = ProtoField.uint32("ntbtlp.length", "Length (DW)", base.DEC),
    requester = ProtoField.string("ntbtlp.requester", "Requester ID"),
    completer = ProtoField.string("ntbtlp.completer", "Completer ID"),
    tag = ProtoField.uint16("ntbtlp.tag", "Tag", base.DEC),
    lastbe = ProtoField.uint8("ntbtlp.lastbe", "Last DW Byte Enables", base.HEX, nil, 0xf0),
    firstbe = ProtoField.uint8("ntbtlp.firstbe", "First DW Byte Enables", base.HEX, nil, 0x0f),
    address = ProtoField.uint64("ntbtlp.address", "Address", base.HEX),
    code = ProtoField.uint8("ntbtlp.code", "Message Code", base.HEX),
    status = ProtoField.uint8("ntbtlp.status", "Completion Status", base.DEC, STATUS, 0xe0),
    bcm = ProtoField.bool("ntbtlp.bcm", "Byte Count Modified", 8, nil, 0x10),
    bytecount = ProtoField.uint32("ntbtlp.bytecount", "Byte Count", base.DEC),
    lower = ProtoField.uint8("ntbtlp.lower", "Lower Address", base.HEX, nil, 0x7f),
}
tlp.fields = f

local malformed = function(name, text)
    return ProtoExpert.new("ntbtlp.expert." .. name, text, expert.group.MALFORMED, expert.severity.ERROR)
end
local e = {
    short = malformed("short", "Shorter than its header"),
    unknown = malformed("type", "No TLP has this Fmt and Type"),
    enables = malformed("enables", "Byte enables do not go with the length"),
    page = malformed("page", "It crosses a 4 KiB boundary"),
    count = malformed("count", "Byte Count is less than what it carries"),
    wire = malformed("wire", "Its length on the wire is not that of header, payload and LCRC"),
    refused = ProtoExpert.new("ntbtlp.expert.refused", "The completer refuses the request",
                              expert.group.RESPONSE_CODE, expert.severity.WARN),
    crc = ProtoExpert.new("ntbtlp.expert.crc", "The LCRC is wrong: the receiver asks for it again",
                          expert.group.CHECKSUM, expert.severity.WARN),
}
tlp.experts = { e.short, e.unknown, e.enables, e.page, e.count, e.wire, e.refused, e.crc }

local crc_error = Field.new("frame.packet_flags_crc_error")

local function id_of(range)
    local id = range:uint()
    return string.format("%02x:%02x.%x", bit.rshift(id, 8), bit.band(bit.rshift(id, 3), 0x1f), bit.band(id, 7))
end

local LOWEST = { [0] = 0, 0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0 }  -- bit that is set, of four
local HIGHEST = { [0] = 0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3 }

local function add_memory(buffer, tree, pinfo, h)
    local first, last = bit.band(buffer(9, 1):uint(), 0xf), bit.rshift(buffer(9, 1):uint(), 4)
    tree:add(f.lastbe, buffer(9, 1))
    tree:add(f.firstbe, buffer(9, 1))
    local range = h.four and buffer(10, 8) or buffer(10, 4)
    local base_address = h.four and range:uint64() or UInt64(range:uint(), 0)
    local in_page = buffer(h.four and 16 or 12, 2):bitfield(4, 12)
    base_address = base_address - UInt64(in_page % 4, 0)
    tree:add(f.address, range, base_address + UInt64(LOWEST[first], 0))
    pinfo.cols.info:append(string.format(", address 0x%s", (base_address + UInt64(LOWEST[first], 0)):tohex()))
    if (h.length == 1 and last ~= 0) or (h.length > 1 and (first == 0 or last == 0)) then
        tree:add_proto_expert_info(e.enables)
    end
    if in_page - in_page % 4 + 4 * h.length > 4096 then tree:add_proto_expert_info(e.page) end
end

local function add_completion(buffer, tree, pinfo, h)
    local count = bit.band(buffer(8, 2):uint(), 0xfff)
    if count == 0 then count = 4096 end
    local lower = bit.band(buffer(13, 1):uint(), 0x7f)
    tree:add(f.completer, buffer(6, 2), id_of(buffer(6, 2)))
    tree:add(f.status, buffer(8, 1))
    tree:add(f.bcm, buffer(8, 1))
    tree:add(f.bytecount, buffer(8, 2), count)
    tree:add(f.lower, buffer(13, 1))
    pinfo.cols.info:append(string.format(", byte count %d", count))
    local status = bit.rshift(buffer(8, 1):uint(), 5)
    if status ~= 0 then tree:add_proto_expert_info(e.refused) end
    -- All bytes of its payload are asked for, but some of the first and of the last DW.
    if h.data and count < 4 * h.length - lower % 4 - 3 then tree:add_proto_expert_info(e.count) end
end

function tlp.dissector(buffer, pinfo, root)
    pinfo.cols.protocol = "TLP"
    local tree = root:add(tlp, buffer())
    if buffer:len() < 6 then
        tree:add_proto_expert_info(e.short)
        return buffer:len()
    end
    local code = buffer(2, 1):uint()
    local name = NAMES[code]
    local h = { four = bit.band(code, 0x20) ~= 0, data = bit.band(code, 0x40) ~= 0 }
    h.size = h.four and 16 or 12
    h.length = bit.band(buffer(4, 2):uint(), 0x3ff)
    if h.length == 0 and (h.data or name == "MRd") then h.length = 1024 end
    tree:add(f.seq, buffer(0, 2))
    tree:add(f.type, buffer(2, 1), name or "unknown")
    tree:add(f.fmt, buffer(2, 1))
    tree:add(f.typecode, buffer(2, 1))
    tree:add(f.tc, buffer(3, 1))
    tree:add(f.ido, buffer(3, 1))
    tree:add(f.th, buffer(3, 1))
    for _, field in ipairs({ f.td, f.ep, f.ro, f.ns, f.at }) do tree:add(field, buffer(4, 1)) end
    tree:add(f.length, buffer(4, 2), h.length)
    pinfo.cols.info = string.format("%s, %d DW", name or "unknown", h.length)
    local crc = crc_error()
    if crc and crc.value then tree:add_proto_expert_info(e.crc) end
    if not name then
        tree:add_proto_expert_info(e.unknown)
        return buffer:len()
    end
    if buffer:len() < 2 + h.size then
        tree:add_proto_expert_info(e.short)
        return buffer:len()
    end
    local completion = name:sub(1, 3) == "Cpl"
    local requester = completion and buffer(10, 2) or buffer(6, 2)
    local low_tag = completion and buffer(12, 1) or buffer(8, 1)
    local high = buffer(3, 1):uint()
    local tag = low_tag:uint() + (bit.band(high, 0x08) ~= 0 and 256 or 0) + (bit.band(high, 0x80) ~= 0 and 512 or 0)
    tree:add(f.requester, requester, id_of(requester))
    tree:add(f.tag, low_tag, tag)
    pinfo.cols.info:append(string.format(", requester %s, tag %d", id_of(requester), tag))
    if completion then
        add_completion(buffer, tree, pinfo, h)
    elseif name == "Msg" or name == "MsgD" then
        tree:add(f.code, buffer(9, 1))
    else
        add_memory(buffer, tree, pinfo, h)
    end
    if buffer:reported_len() ~= 2 + h.size + (h.data and 4 * h.length or 0) + 4 then
        tree:add_proto_expert_info(e.wire)
    end
    return buffer:len()
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, tlp)
